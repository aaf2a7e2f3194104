/** A query that ends only at the deadline. */
export const ENDLESS = {
  sqlite:
    'with recursive n(i) as (select 1 union all select i + 1 from n where within_deadline()) select count(*) as total from n',
  postgres: 'select pg_sleep(60)',
}
