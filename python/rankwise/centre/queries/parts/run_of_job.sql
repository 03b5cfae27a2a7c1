-- A run whose job in the accounting has the account and the partition.
SELECT run_in_job.run
FROM run_in_job
WHERE run_in_job.run_month BETWEEN :first_month AND :last_month
  AND run_in_job.job_month BETWEEN :first_job_month AND :last_month
  AND (:account = '' OR run_in_job.account = :account)
  AND (:partition = '' OR run_in_job.partition = :partition)
