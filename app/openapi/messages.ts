import type { z } from 'zod'
import { jsonType } from '../http/formats.ts'
import type { Components } from './components.ts'
import type { Tag } from './description.ts'
import { getExample } from './examples.ts'
import type { SchemaNode } from './headers.ts'

/** A message that the service sends to receivers: an entry of the section `webhooks`. */
export type MessageDescription = Readonly<{
  /** Its name in the section. */
  name: string
  operationId: string
  summary: string
  description: string
  /** No path may have this tag: generators write one file for each tag, and the messages' file would replace it. */
  tag: Tag
  headers: readonly Readonly<{ name: string; description: string; example: string }>[]
  body: z.ZodType
  /** What an answer of the receiver means, by status or `default`. */
  answers: Readonly<Record<string, string>>
}>

const describeMessage = (message: MessageDescription, components: Components): SchemaNode => {
  const { operationId, summary, description, tag, headers, body, answers } = message
  return {
    post: {
      operationId,
      summary,
      description,
      tags: [tag.name],
      security: [],
      parameters: headers.map((header) => ({
        name: header.name,
        in: 'header',
        required: true,
        description: header.description,
        schema: { type: 'string', maxLength: 4096 },
        example: header.example,
      })),
      requestBody: {
        required: true,
        content: {
          [jsonType]: { schema: components.referSchema(body, 'answer'), example: getExample(body) },
        },
      },
      responses: Object.fromEntries(
        Object.entries(answers).map(([status, meaning]) => [status, { description: meaning }]),
      ),
    },
  }
}

/** Returns the section `webhooks` of the document. */
export const describeMessages = (
  messages: readonly MessageDescription[],
  components: Components,
): SchemaNode =>
  Object.fromEntries(messages.map((message) => [message.name, describeMessage(message, components)]))
