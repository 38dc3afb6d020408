"""A hundred short passages of prose, made of twenty texts and five sets of facts each."""
