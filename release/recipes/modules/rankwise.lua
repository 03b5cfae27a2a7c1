-- Module file for Lmod: put it where `module use` looks, as rankwise/@VERSION@.lua.
-- The folder is that of `make standalone`, unpacked, or a virtual environment with the wheel in it.
local folder = os.getenv("RANKWISE_FOLDER") or "/opt/rankwise/@VERSION@"

help([[
Rankwise @VERSION@: shows where the communication of an MPI program goes, explains why ranks wait,
and makes it faster. The program need not be recompiled, and any MPI module may be loaded.

  rankwise run -- srun ./app        records a job; the profile is app.JOB.rankwise
  rankwise show app.JOB.rankwise    what it holds
  rankwise report app.JOB.rankwise  all of it as one page for a browser
  rankwise doctor nodes -- srun     does it work on all nodes of this job?

In a job script, put `rankwise run --` before srun or mpirun.
]])
whatis("Name: rankwise")
whatis("Version: @VERSION@")
whatis("Category: performance")
whatis("Description: profiles and tunes the communication of MPI programs")

prepend_path("PATH", pathJoin(folder, "bin"))
