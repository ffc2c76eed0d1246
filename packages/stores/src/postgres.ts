/** Internal: PostgreSQL with pgvector, for Kith's packages that keep tables in it. It may change with any version. */

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
