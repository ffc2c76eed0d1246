/** The tables of studies. Only ever append: the first migrations have run somewhere already. */
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
]
