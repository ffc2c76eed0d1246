import { KithError } from '@kith/core'

/** Work on many queries that several machines share. */
export interface Batch {
  name: string
  /** The kind of work on each query; the worker's handler defines the kinds. */
  kind: string
  /** All inputs besides the queries that determine the results. */
  settings: Readonly<Record<string, unknown>>
  /**
   * Notes of the program that submitted the batch, such as file names; they do not change results.
   */
  origin: Readonly<Record<string, unknown>>
}

/** A query of a batch, with the inputs for its work in the form that the batch's kind defines. */
export interface BatchItem {
  query: string
  body: Uint8Array
}

/** The result of one query. */
export interface BatchResult {
  query: string
  body: Uint8Array
}

/** The progress of a batch. */
export interface BatchProgress extends Batch {
  queries: number
  done: number
  /** Jobs in progress. */
  active: number
  /** Jobs that failed three times and were set aside. */
  failures: readonly BatchFailure[]
  /** Queries per second over the last minute of work; 0 if there was none yet. */
  rate: number
  /** Estimated seconds until the batch is finished; undefined if unknown. */
  secondsLeft: number | undefined
}

/** A job that was set aside. */
export interface BatchFailure {
  /**
   * The range of the job's queries in the batch: the first place, and the place after the last one.
   * Undefined if the job was changed in the database.
   */
  from: number | undefined
  to: number | undefined
  message: string
}

/** A batch as the database stores it. @internal */
export interface BatchRow extends Batch {
  id: number
  queries: number
  digest: string
}

/** Checks a row of kith.batches, which any SQL client may have changed; returns the row. */
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

/**
 * The migrations of the tables of batches. Only append to this list: the first migrations have
 * already run on existing databases.
 */
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
  // Batches used to be called studies; waiting jobs name their batch.
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
