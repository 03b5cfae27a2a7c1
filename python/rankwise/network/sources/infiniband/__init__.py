"""InfiniBand fabrics, from the files that ibdiagnet, OpenSM and infiniband-diags write."""
