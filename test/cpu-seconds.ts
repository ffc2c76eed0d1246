/** Seconds of CPU time that this process takes for a job: other work on the machine does not count. */
export async function cpuSeconds(job: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await job()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}
