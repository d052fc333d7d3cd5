import { sql } from 'kysely';
import { PING } from '../topics/topics.ts';

/**
 * One row per endpoint for which deliveries wait, by id: it jumps from one endpoint to the next in the index of what waits, so it
 * costs as many steps as there are endpoints, however many deliveries. `due_at` is null where what waited was taken meanwhile;
 * `leftovers` is 1 where some of it must never be sent.
 */
export const WAITING_ENDPOINTS = sql<{
  id: string;
  url: string;
  state: string;
  sealed_secret: string;
  due_at: number | null;
  leftovers: number;
}>`
  with recursive waiting (endpoint_id) as (
    select (select endpoint_id from webhook_deliveries where state = 'waiting' order by endpoint_id limit 1)
    union all
    select (select d.endpoint_id from webhook_deliveries d
            where d.state = 'waiting' and d.endpoint_id > w.endpoint_id order by d.endpoint_id limit 1)
    from waiting w where w.endpoint_id is not null
  )
  select e.id, e.url, e.state, e.sealed_secret,
    (select d.due_at from webhook_deliveries d
     where d.state = 'waiting' and d.endpoint_id = e.id order by d.due_at limit 1) as due_at,
    case when e.state = 'active' then 0
         when e.state <> 'registered' then 1
         when exists (select 1 from webhook_deliveries d
                      where d.state = 'waiting' and d.endpoint_id = e.id and d.kind <> ${PING}) then 1
         else 0 end as leftovers
  from waiting w join webhook_endpoints e on e.id = w.endpoint_id
  order by e.id`;
