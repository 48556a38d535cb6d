import type { Rows } from '../lib/findings.ts'
import type { Cell } from './cells.ts'
import type { Row } from './rows.ts'

type Limits = Pick<Row, 'about' | 'mostByTable' | 'mostByCustomer'>

/** `values`: one for each cell. */
export type Measured = { row: Limits; values: readonly number[] }

const byCustomer = ({ customers }: Cell): boolean => customers === 1

const getLimit = ({ mostByTable, mostByCustomer }: Limits, cell: Cell): number =>
  byCustomer(cell) ? mostByCustomer : mostByTable

const judge = (cells: readonly Cell[], { row, values }: Measured) =>
  cells.map((cell, index) => {
    const value = values[index] as number
    const growth = value / (values[0] as number)
    const limit = getLimit(row, cell)
    return { cell, value, growth, limit, isBroken: index > 0 && growth > limit }
  })

const formatValue = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(value >= 1 ? 2 : 3)

/** The first cell is the base. Others have their multiple of it, and `✗` above the limit. */
export const tabulate = (cells: readonly Cell[], measured: readonly Measured[]): Rows =>
  Object.fromEntries(
    measured.map((each) => {
      const judged = judge(cells, each).map(({ cell, value, growth, isBroken }, index) => [
        cell.label,
        `${formatValue(value)}${index > 0 ? ` ×${growth.toFixed(2)}` : ''}${isBroken ? ' ✗' : ''}`,
      ])
      const { about, mostByCustomer, mostByTable } = each.row
      return [
        about,
        { ...Object.fromEntries(judged), 'most, customer': mostByCustomer, 'most, table': mostByTable },
      ]
    }),
  )

/** Returns a sentence for each cell that breaks its limit. */
export const listBroken = (cells: readonly Cell[], measured: readonly Measured[]): string[] =>
  measured.flatMap((each) =>
    judge(cells, each)
      .filter(({ isBroken }) => isBroken)
      .map(
        ({ cell, growth, limit }) =>
          `${each.row.about}: ${cell.label} costs ${growth.toFixed(2)} times ${cells[0]?.label}, at most ${limit}`,
      ),
  )
