"""Papers, the web and pages of it, for people whose searches the operator's keys pay for."""
