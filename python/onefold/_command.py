"""Runs a campaign for the command ``onefold reproduce --on``, which shows the table."""

from __future__ import annotations

import _thread
import json
import os
import sys
import threading

INTERRUPTED = 130
BAD_INPUT = 2


def main(options: str) -> int:
    """Runs what the options, in JSON, say. Standard output is an answer, or the message of an error."""
    from ._campaign import run_campaign

    # The end of standard input means that the command was interrupted, or has ended.
    threading.Thread(target=_interrupt_at_end, daemon=True).start()
    try:
        done = run_campaign(**json.loads(options))
    except KeyboardInterrupt:
        return INTERRUPTED
    except (ValueError, TypeError, ImportError) as error:
        print(error)
        return BAD_INPUT
    except (OSError, RuntimeError) as error:
        print(error)
        return 1
    print(json.dumps({"failed": len(done.failed), "elsewhere": done.elsewhere}))
    return 0


def _interrupt_at_end() -> None:
    while os.read(0, 1 << 16):
        pass
    _thread.interrupt_main()


if __name__ == "__main__":
    code = main(sys.argv[1])
    sys.stdout.flush()
    # Threads of an engine that was lost must not keep the process alive.
    os._exit(code)
