import { VisuallyHidden } from '@mantine/core'
import type { Minute } from './count-logins.ts'

const WIDTH = 600
const HEIGHT = 160
const FLOOR = HEIGHT - 20
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })

/** Sign-ins in each minute, accepted below and refused on top of them; the numbers as a table for those who do not see. */
export function LoginChart({ minutes }: { readonly minutes: readonly Minute[] }) {
  const most = Math.max(4, ...minutes.map(({ accepted, refused }) => accepted + refused))
  const step = WIDTH / minutes.length
  const height = (count: number) => (count / most) * (FLOOR - 12)
  return (
    <>
      <svg className="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" width="100%">
        <line className="grid" x1={0} x2={WIDTH} y1={FLOOR} y2={FLOOR} />
        <line className="grid" x1={0} x2={WIDTH} y1={12} y2={12} strokeDasharray="3 4" />
        <text x={0} y={9}>
          {most}
        </text>
        {minutes.map(({ at, accepted, refused }, index) => (
          <g key={at} transform={`translate(${index * step + step * 0.15} 0)`}>
            <rect className="accepted" width={step * 0.7} y={FLOOR - height(accepted)} height={height(accepted)} />
            <rect
              className="refused"
              width={step * 0.7}
              y={FLOOR - height(accepted) - height(refused)}
              height={height(refused)}
            />
            {index % 5 === 0 && <text y={HEIGHT - 5}>{CLOCK.format(at)}</text>}
          </g>
        ))}
      </svg>
      <VisuallyHidden>
        <table>
          <caption>Sign-ins per minute</caption>
          <thead>
            <tr>
              <th>Minute</th>
              <th>Accepted</th>
              <th>Refused</th>
            </tr>
          </thead>
          <tbody>
            {minutes.map(({ at, accepted, refused }) => (
              <tr key={at}>
                <td>{CLOCK.format(at)}</td>
                <td>{accepted}</td>
                <td>{refused}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </>
  )
}
