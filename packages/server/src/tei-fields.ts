import { z } from 'zod'

/** Fields that requests of text-embeddings-inference have besides their texts. */
export const teiFields = {
  truncate: z.boolean().nullish().meta({
    description: 'Whether texts that are too long are cut; default: unless the server is strict.',
  }),
  truncation_direction: z
    .enum(['Right', 'right'], { error: 'only the end of a text is cut: "Right"' })
    .nullish(),
}
