"""The network: fabrics, the routes in them, and what a job sends over each link."""
