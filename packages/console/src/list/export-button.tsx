import type { Page } from '@countersign/sdk'
import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useEffect, useRef, useState } from 'react'
import { errorSentence } from '../api/error-text.ts'
import { downloadText, safeFileName } from '../show/download.ts'
import { type CsvExport, csvText } from './csv.ts'
import { loadAll } from './load-all.ts'

interface ExportButtonProps<Item> {
  readonly csv: CsvExport<Item>
  readonly load: (part: { readonly limit: number; readonly offset: number }) => Promise<Page<Item>>
}

/** Downloads the whole result of a list, with its search and filters, as CSV. Another click stops it. */
export function ExportButton<Item extends { readonly id: string }>({ csv, load }: ExportButtonProps<Item>) {
  const [progress, setProgress] = useState<string>()
  const isStopped = useRef(false)
  useEffect(() => {
    return () => {
      isStopped.current = true
    }
  }, [])
  const run = async () => {
    isStopped.current = false
    setProgress('Loading')
    try {
      const onProgress = (loaded: number, total: number) => setProgress(`${loaded} of ${total}`)
      const { items, hasChanged } = await loadAll(load, onProgress, () => isStopped.current)
      if (isStopped.current) return
      const day = new Date().toISOString().slice(0, 10)
      downloadText(safeFileName(`${csv.fileName}-${day}`, 'csv'), csvText(csv, items), 'text/csv;charset=utf-8')
      if (hasChanged) notifications.show({ message: CHANGED, color: 'orange', autoClose: 10_000 })
    } catch (error) {
      notifications.show({
        title: 'Nothing was exported',
        message: errorSentence(error),
        color: 'red',
        autoClose: 10_000,
      })
    } finally {
      setProgress(undefined)
    }
  }
  const stop = () => {
    isStopped.current = true
  }
  return (
    <Button variant="default" onClick={() => (progress === undefined ? void run() : stop())}>
      {progress === undefined ? 'Export CSV' : `Stop (${progress})`}
    </Button>
  )
}

const CHANGED = 'The list changed during the export: some rows can be missing.'
