import type { ObjectStore } from '../../../storage/object-store.ts';

/** A store that behaves as ever, but for the functions that are given. */
export function storeWith(store: ObjectStore, changed: Partial<ObjectStore>): ObjectStore {
  return new Proxy(store, {
    get: (target, name) => {
      if (Object.hasOwn(changed, name)) return Reflect.get(changed, name);
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** The store, with something done before each put; where that throws, nothing is put. */
export function beforePut(store: ObjectStore, act: (key: string) => void): ObjectStore {
  return storeWith(store, {
    put: async (key, ...more) => {
      act(key);
      return store.put(key, ...more);
    },
    putFile: async (key, ...more) => {
      act(key);
      return store.putFile(key, ...more);
    },
  });
}
