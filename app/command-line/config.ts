import { z } from 'zod'
import { describeMissingHouse } from '../config/house.ts'
import { variables } from '../config/variables.ts'
import { createCommand, type Output, print, type Shell } from './shell.ts'

const listVariables = () =>
  Object.entries(variables).map(([name, schema]) => ({
    name,
    description: schema.description ?? '',
    default: schema instanceof z.ZodDefault ? String(schema.def.defaultValue) : null,
  }))

const showConfig = (shell: Shell, options: Output): void => {
  const listed = listVariables()
  const text = listed.map(
    (variable) =>
      `${variable.name}${variable.default ? `=${variable.default}` : ''}\n    ${variable.description}`,
  )
  print(shell, options, listed, text.join('\n'))
  const missing = describeMissingHouse(shell.env)
  if (missing !== undefined) shell.stderr.write(`Note: ${missing}\n`)
}

/** `certdata config` */
export const buildCommand = (shell: Shell) =>
  createCommand('config', 'every environment variable, its meaning and its default').action(
    showConfig.bind(null, shell),
  )
