"""Tests of the organisation."""
