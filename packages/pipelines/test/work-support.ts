import { setTimeout } from 'node:timers/promises'
import { run } from '../../../test/postgres.ts'

/** A failing step must not wait for the whole test. */
const PATIENCE = 600_000

/** Waits until something holds. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE
  while (!(await holds())) {
    if (performance.now() > end) throw new Error('waited in vain')
    await setTimeout(50)
  }
}

/** How many results a batch has. */
export async function countResults(url: string, batch: string, condition = ''): Promise<number> {
  const [row] = await run(
    url,
    `SELECT count(*)::integer AS count FROM kith.results JOIN kith.batches ON batch = id
     WHERE name = '${batch}' ${condition}`,
  )
  return row!['count'] as number
}

/** Jobs of a batch that were given to somebody more than once. */
export async function givenAgain(url: string, batch: string): Promise<number> {
  const rows = await run(
    url,
    `SELECT count(*)::integer AS count FROM kith_jobs.job
     WHERE retry_count > 0 AND (data->>'batch')::integer
       = (SELECT id FROM kith.batches WHERE name = '${batch}')`,
  )
  return rows[0]!['count'] as number
}

/** Does something before results are written: time passes, or an error. */
export async function onWrite(url: string, action: string): Promise<void> {
  await run(
    url,
    `CREATE OR REPLACE FUNCTION on_write() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN ${action}; RETURN NULL; END $$;
     CREATE OR REPLACE TRIGGER on_write BEFORE INSERT ON kith.results
       FOR EACH STATEMENT EXECUTE FUNCTION on_write()`,
  )
}
