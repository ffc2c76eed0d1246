/**
 * Internal: PostgreSQL with pgvector, for Kith packages that keep tables in it. These exports may
 * change in any version.
 */

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
