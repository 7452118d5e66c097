"""`python -m hq` is `hq`."""

from hq.cli.main import main

if __name__ == "__main__":
    main()
