/**
 * Internal: defaults of the server, for Kith's own packages. They may change with any version;
 * programs use the package's main entry.
 */
export { defaultLimits } from './limits.ts'
export { defaultAddress } from './server.ts'
