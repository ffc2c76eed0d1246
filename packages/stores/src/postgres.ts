/** PostgreSQL with pgvector, and functions for other packages that keep tables in it. */

export { checkStorable, unstorable } from './check-documents.ts'
export {
  type ConnectionOptions,
  type Connections,
  type CopyField,
  connectPostgres,
  copyRows,
  inTransaction,
  isPassing,
  postgresError,
} from './postgres/postgres-connection.ts'
export { migrate } from './postgres/postgres-schema.ts'
export { PostgresStore } from './postgres/postgres-store.ts'
