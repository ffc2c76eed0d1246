import { KithError } from '@kith/core'

/** Work on many queries, shared by many machines. */
export interface Batch {
  name: string
  /** The kind of work on each query; the worker's handler knows the kinds. */
  kind: string
  /** Everything besides the queries that decides the results. */
  settings: Readonly<Record<string, unknown>>
  /** Notes of the program that submitted it, such as file names; they do not change results. */
  origin: Readonly<Record<string, unknown>>
}

/** A query of a batch, with the inputs of the work on it in the form that its kind defines. */
export interface BatchItem {
  query: string
  body: Uint8Array
}

/** The result of one query. */
export interface BatchResult {
  query: string
  body: Uint8Array
}

/** How far a batch is. */
export interface BatchProgress extends Batch {
  queries: number
  done: number
  /** Jobs that are being worked on. */
  active: number
  /** Jobs that failed three times and were set aside. */
  failures: readonly BatchFailure[]
  /** Queries per second over the last minute of work; 0 before there was any. */
  rate: number
  /** Seconds until the end at that rate; undefined if it is unknown. */
  secondsLeft: number | undefined
}

/** A job that was set aside. */
export interface BatchFailure {
  /**
   * Places of its queries in the batch: the first, and the one behind the last. Undefined if the
   * job was changed in the database.
   */
  from: number | undefined
  to: number | undefined
  message: string
}

/** A batch as the database knows it. @internal */
export interface BatchRow extends Batch {
  id: number
  queries: number
  digest: string
}

/** A row of kith.batches, which any SQL client can have changed. */
export function checkBatchRow<T extends Batch>(row: T): T {
  for (const column of ['settings', 'origin'] as const) {
    const value: unknown = row[column]
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) continue
    throw new KithError(
      'BAD_INPUT',
      `batch ${row.name} was changed in the database: ${column} must be an object, got ${JSON.stringify(value)?.slice(0, 200)}; remove the batch (kith jobs remove) and submit it again`,
    )
  }
  return row
}

/** The tables of batches. Only ever append: the first migrations have run somewhere already. */
export const migrations: readonly string[] = [
  `CREATE TABLE kith.studies (
     id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     name text NOT NULL UNIQUE,
     kind text NOT NULL,
     settings json NOT NULL,
     origin json NOT NULL,
     digest text NOT NULL,
     queries integer NOT NULL,
     submitted timestamptz NOT NULL DEFAULT now()
   );
   CREATE TABLE kith.items (
     study integer NOT NULL REFERENCES kith.studies ON DELETE CASCADE,
     position integer NOT NULL,
     query text COLLATE "C" NOT NULL,
     body bytea NOT NULL,
     PRIMARY KEY (study, position)
   );
   CREATE TABLE kith.results (
     study integer NOT NULL REFERENCES kith.studies ON DELETE CASCADE,
     query text COLLATE "C" NOT NULL,
     body bytea NOT NULL,
     done timestamptz NOT NULL DEFAULT now(),
     PRIMARY KEY (study, query)
   )`,
  // Batches were called studies; jobs that wait say which one they belong to.
  `ALTER TABLE kith.studies RENAME TO batches;
   ALTER TABLE kith.items RENAME COLUMN study TO batch;
   ALTER TABLE kith.results RENAME COLUMN study TO batch;
   DO $$ BEGIN
     IF to_regclass('kith_jobs.job') IS NOT NULL THEN
       UPDATE kith_jobs.job SET data = data - 'study' || jsonb_build_object('batch', data -> 'study')
       WHERE jsonb_typeof(data) = 'object' AND data ? 'study';
     END IF;
   END $$`,
]
