"""Traffic on the links of a fabric, as tables and sentences."""
