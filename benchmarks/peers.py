"""Other aligners, run on the spot on the same text: eflomal, and thot (the package sil-thot)."""

import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from mixtures import write_bitext
from processes import Cost, run_measured

from isogloss.align import Bitext, Links, UsageError, read_links

__all__ = ["PEERS", "Peer", "PeerLinks", "parse_peers", "read_peer_links", "run_peer"]


@dataclass(frozen=True)
class Peer:
    """An aligner: the module to import, the package to install, a remark for the tables."""

    module: str
    package: str
    remark: str


PEERS = {
    "eflomal": Peer(
        "eflomal", "eflomal",
        "its defaults (model 3); it has no seed, so that AER differs by some tenths between runs",
    ),
    "thot": Peer(
        "thot", "sil-thot",
        "5 iterations of Model 1, 3 of the HMM; pairs of more than 200 words get no links",
    ),
    "thot-model4": Peer(
        "thot", "sil-thot",
        "5 of Model 1, 3 of the HMM, 3 of Model 3, 3 of Model 4, without word classes",
    ),
}  # fmt: skip


def parse_peers(text: str) -> tuple[str, ...]:
    """Names with commas between. Raises UsageError for one that is unknown or not installed."""
    names = tuple(dict.fromkeys(text.split(",")))
    if bad := [name for name in names if name not in PEERS]:
        raise UsageError(f"peer {bad[0]!r}; expected some of {', '.join(PEERS)}")
    for name in names:
        if importlib.util.find_spec(PEERS[name].module) is None:
            raise UsageError(
                f"{name} is not installed: pip install {PEERS[name].package}, or pass --no-peers"
            )
    return names


@dataclass(frozen=True)
class PeerLinks:
    """Links that explain each source word, and each target word; what the whole job took."""

    forward: Links
    reverse: Links
    cost: Cost


def read_peer_links(file: Path, bitext: Bitext) -> Links:
    """Links that a peer wrote, as source-target positions.

    Raises DataError where they are not one line per pair of the bitext or point outside of it.
    """
    links = read_links(file, scored=False)
    links.check_range(bitext.source.lengths, bitext.target.lengths, file)
    return links


def run_peer(name: str, bitext: Bitext) -> PeerLinks:
    """Align a bitext in both directions, on one thread, in a process of its own.

    Raises IsoglossError where the peer fails, and as :func:`read_peer_links` does.
    """
    with TemporaryDirectory() as folder:
        text = write_bitext(bitext, Path(folder))[:2]
        links = [Path(folder, part) for part in ("forward", "reverse")]
        runner = Path(__file__).with_name("peer_runner.py")
        command = [sys.executable, str(runner), name, *text, *map(str, links)]
        # several threads would wait for each other by spinning, which counts as user time
        cost = run_measured(command, {"OMP_NUM_THREADS": "1"})
        forward, reverse = (read_peer_links(file, bitext) for file in links)
    return PeerLinks(forward, reverse, cost)
