import { idleReason, methods, methodTable, type Setting } from '@kith/core/internal'

type Named = Readonly<Record<string, unknown>>

/** Inputs that only rankings with texts have. */
const ofTexts = ['views', 'statistics']

/**
 * The settings that had a part in a ranking: those of its method and of its mix. A sidecar has all
 * of them, and a reader would take the others for what made the difference.
 */
export function usedSettings(settings: Named): Named {
  if (!methods.some((name) => name === settings['method'])) return settings
  const use = { texts: settings['texts'] === true }
  const table: Readonly<Record<string, Setting>> = methodTable
  return Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => {
      if (name === 'missing') return value !== 'error'
      if (ofTexts.includes(name)) return use.texts && settings['method'] !== 'rocchio'
      const row = table[name]
      return !row || !(idleReason(row, settings, use) !== undefined || row.off?.(settings))
    }),
  )
}
