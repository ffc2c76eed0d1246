/** PostgreSQL with pgvector, and functions for other packages that keep tables in it. */
export {
  type ConnectionOptions,
  type Connections,
  connectPostgres,
  inTransaction,
  isPassing,
  postgresError,
} from './postgres/postgres-connection.ts'
export { type CopyField, copyRows } from './postgres/postgres-copy.ts'
export { migrate } from './postgres/postgres-migrations.ts'
export { PostgresStore } from './postgres/postgres-store.ts'
export { checkStorable, unstorable } from './storable-text.ts'
