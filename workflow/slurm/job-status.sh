#!/bin/sh
# What has become of a Slurm job, in the words of Snakemake. Works with and without accounting. A job of a lost node
# (NODE_FAIL) has failed: Snakemake starts it again at once, where Slurm itself would wait two minutes.
told=$(scontrol --oneliner show job "$1" 2>&1)
state=$(printf %s "$told" | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p')
if [ -z "$state" ]; then
  case $told in
    *'Invalid job id'*) state=$(sacct -X -n -P -o State -j "$1" 2> /dev/null | head -n 1) ;;
    # The controller does not answer: ask again later.
    *) state=PENDING ;;
  esac
fi
case $state in
  COMPLETED) echo success ;;
  PENDING | CONFIGURING | RUNNING | COMPLETING | SUSPENDED | REQUEUED | REQUEUE_HOLD | REQUEUE_FED | SIGNALING | STAGE_OUT | STOPPED) echo running ;;
  *) echo failed ;;
esac
