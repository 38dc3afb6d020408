"""Fits tidal constituents to hourly sea levels."""
