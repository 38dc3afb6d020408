"""The stores of what requests cost: the ledger, leases on it, and sums over it."""
