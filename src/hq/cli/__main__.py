"""`python -m hq.cli` is `hq`."""

from hq.cli.main import main

main()
