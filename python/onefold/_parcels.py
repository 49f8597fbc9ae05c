"""What tasks have in common, such as data: sent to each worker once, where it is large."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

# A parcel up to this size goes along with every task; a larger one only to workers that ask for it.
SMALL = 32 << 10
# What a worker keeps of each kind, the last ones used.
MOST_KEPT = 256


class Parcels:
    """The driver's side: what has to go along with a task."""

    def __init__(self) -> None:
        self.parcels: dict[Any, tuple[str, bytes]] = {}
        self.keys: dict[str, Any] = {}
        # Digests that workers have asked for.
        self.wanted: set[str] = set()

    def send(self, key: Hashable, make: Callable[[], bytes]) -> tuple[str, bytes | None]:
        """The digest of a parcel, and the parcel itself if it has to be sent."""
        if key not in self.parcels:
            parcel = make()
            digest = hashlib.blake2b(parcel, digest_size=16).hexdigest()
            self.parcels[key] = (digest, parcel)
            self.keys[digest] = key
        digest, parcel = self.parcels[key]
        if len(parcel) > SMALL and digest not in self.wanted:
            return digest, None
        self.wanted.discard(digest)
        return digest, parcel

    def ask(self, digest: str) -> None:
        """Is told that a worker does not have a parcel."""
        self.wanted.add(digest)


class Kept:
    """The worker's side: what was made of parcels, by digest."""

    def __init__(self, make: Callable[[bytes], Any]) -> None:
        self.make = make
        self.kept: OrderedDict[str, Any] = OrderedDict()
        self.lock = threading.Lock()

    def get(self, digest: str, parcel: bytes | None) -> Any:
        """What is kept, or made now; None if the parcel is missing."""
        with self.lock:
            if digest in self.kept:
                self.kept.move_to_end(digest)
                return self.kept[digest]
        if parcel is None:
            return None
        made = self.make(parcel)
        with self.lock:
            self.kept[digest] = made
            while len(self.kept) > MOST_KEPT:
                self.kept.popitem(last=False)
        return made
