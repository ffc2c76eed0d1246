/** PostgreSQL with pgvector, and what other packages that keep tables in it share. */
export {
  type ConnectionOptions,
  type Connections,
  connectPostgres,
  inTransaction,
  isPassing,
  postgresError,
} from './postgres-connection.ts'
export { type CopyField, copyRows } from './postgres-copy.ts'
export { migrate } from './postgres-migrations.ts'
export { PostgresStore } from './postgres-store.ts'
export { checkStorable, unstorable } from './storable-text.ts'
