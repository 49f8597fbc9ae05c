"""Runs trials for the commands ``onefold reproduce --on`` and ``onefold tune --on``, which show tables."""

from __future__ import annotations

import _thread
import json
import os
import sys
import threading
from collections.abc import Callable

INTERRUPTED = 130
BAD_INPUT = 2


def main(function: str, options: str) -> int:
    """Calls a function with options in JSON. Standard output is an answer, or the message of an error."""
    from ._campaign import CampaignResult, run_campaign
    from ._tuning import TuningResult, tune

    # The end of standard input means that the command was interrupted, or has ended.
    threading.Thread(target=_interrupt_at_end, daemon=True).start()
    functions: dict[str, Callable[..., CampaignResult | TuningResult]]
    functions = {"run_campaign": run_campaign, "tune": tune}
    try:
        done = functions[function](**json.loads(options))
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
    code = main(*sys.argv[1:])
    sys.stdout.flush()
    # Threads of an engine that was lost must not keep the process alive.
    os._exit(code)
