"""`python -m recto`."""

from recto.cli import main

if __name__ == "__main__":
    main()
