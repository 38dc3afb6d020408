"""How the tables of an older store become those of today, one numbered step each."""
