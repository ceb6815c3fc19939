#!/bin/sh
# Prints the status of a Slurm job as Snakemake expects it. Works with and without accounting. A job on a lost node
# (NODE_FAIL) counts as failed, so that Snakemake restarts it at once; Slurm itself would wait two minutes.
job=$(scontrol --oneliner show job "$1" 2>&1)
state=$(printf %s "$job" | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p')
if [ -z "$state" ]; then
  case $job in
    *'Invalid job id'*) state=$(sacct -X -n -P -o State -j "$1" 2> /dev/null | head -n 1) ;;
    # The controller does not answer: check again later.
    *) state=PENDING ;;
  esac
fi
case $state in
  COMPLETED) echo success ;;
  PENDING | CONFIGURING | RUNNING | COMPLETING | SUSPENDED | REQUEUED | REQUEUE_HOLD | REQUEUE_FED | SIGNALING | STAGE_OUT | STOPPED) echo running ;;
  *) echo failed ;;
esac
