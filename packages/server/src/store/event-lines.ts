/** An event for sinks. */
export interface RecordedEvent {
  readonly id: string
  readonly at: number
  /** The organization of the hosted API that it concerns. */
  readonly organizationId?: string | undefined
  /** One line of JSON. */
  readonly text: string
}

const NO_ORGANIZATION = '-'

/** An event as one line of a row: its id, time and organization before its text. Neither writing nor reading a row encodes the text again. */
export function eventLine({ id, at, organizationId = NO_ORGANIZATION, text }: RecordedEvent): string {
  return `${id} ${at} ${organizationId} ${text}`
}

export function eventLines(events: readonly RecordedEvent[]): string {
  return events.map(eventLine).join('\n')
}

export function readEventLines(lines: string): RecordedEvent[] {
  return lines.split('\n').map((line) => {
    const afterId = line.indexOf(' ')
    const afterAt = line.indexOf(' ', afterId + 1)
    const afterOrganization = line.indexOf(' ', afterAt + 1)
    const organizationId = line.slice(afterAt + 1, afterOrganization)
    return {
      id: line.slice(0, afterId),
      at: Number(line.slice(afterId + 1, afterAt)),
      organizationId: organizationId === NO_ORGANIZATION ? undefined : organizationId,
      text: line.slice(afterOrganization + 1),
    }
  })
}

export function countEventLines(lines: string): number {
  let count = 1
  for (let at = lines.indexOf('\n'); at !== -1; at = lines.indexOf('\n', at + 1)) count++
  return count
}
