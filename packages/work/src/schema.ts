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
