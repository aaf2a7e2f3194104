import { Combobox, Kbd, Loader, Text, TextInput, useCombobox } from '@mantine/core'
import { useDebouncedValue, useHotkeys } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { useMayOpen } from '../app/page-needs.ts'
import { canSearch, searchEverywhere } from './search-everywhere.ts'

const DEBOUNCE_MS = 250
const MIN_LENGTH = 2

/** Finds identities, signers, policies, CAs, sessions and decisions. The key `/` focuses it, arrows and Enter choose. */
export function GlobalSearch({ onOpen }: { readonly onOpen?: () => void }) {
  const mayOpen = useMayOpen()
  const [text, setText] = useState('')
  const [settled] = useDebouncedValue(text.trim(), DEBOUNCE_MS)
  const input = useRef<HTMLInputElement>(null)
  const router = useRouter()
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() })
  // The layout has one for narrow and one for wide windows.
  useHotkeys([['/', () => isVisible(input.current) && input.current.focus()]])
  const isLongEnough = settled.length >= MIN_LENGTH
  const { data, isFetching } = useQuery({
    queryKey: ['search', settled],
    queryFn: () => searchEverywhere(settled, mayOpen),
    enabled: isLongEnough,
    placeholderData: keepPreviousData,
    retry: false,
  })
  const groups = isLongEnough ? (data ?? []) : []
  const open = (path: string) => {
    setText('')
    combobox.closeDropdown()
    input.current?.blur()
    onOpen?.()
    router.history.push(`/console${path}`)
  }
  if (!canSearch(mayOpen)) return null
  return (
    <Combobox store={combobox} onOptionSubmit={open} withinPortal>
      <Combobox.Target>
        <TextInput
          ref={input}
          type="search"
          aria-label="Search everything"
          placeholder="Search"
          size="xs"
          value={text}
          maxLength={200}
          w={{ base: '100%', sm: 260 }}
          rightSection={isFetching && isLongEnough ? <Loader size={12} /> : <Kbd size="xs">/</Kbd>}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value)
            combobox.openDropdown()
            combobox.updateSelectedOptionIndex()
          }}
          onFocus={() => text !== '' && combobox.openDropdown()}
          onBlur={() => combobox.closeDropdown()}
          onKeyDown={({ key }) => key === 'Escape' && input.current?.blur()}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={!isLongEnough || (data === undefined && isFetching)}>
        <Combobox.Options mah="60vh" style={{ overflowY: 'auto' }} aria-label="Found">
          {isLongEnough && groups.length === 0 && <Combobox.Empty>Nothing found</Combobox.Empty>}
          {groups.map(({ label, found }) => (
            <Combobox.Group key={label} label={label}>
              {found.map((one) => (
                <Combobox.Option key={one.key} value={one.path}>
                  <Text size="sm" className="breakable">
                    {one.label}
                  </Text>
                  {one.note && (
                    <Text size="xs" c="dimmed" className="breakable">
                      {one.note}
                    </Text>
                  )}
                </Combobox.Option>
              ))}
            </Combobox.Group>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}

function isVisible(input: HTMLInputElement | null): input is HTMLInputElement {
  return input !== null && input.offsetParent !== null
}
