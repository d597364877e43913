// What scripts find on a page that none of them made.

import type { Lit, Pointed } from "../static/dashboard/pointed.js";

interface Place {
  target: Element;
  swap: string;
  source?: Element;
}

interface Request {
  elt: Element;
  formData: FormData;
  parameters: Record<string, string>;
}

interface Answer {
  elt: Element;
  requestConfig: { elt: Element };
  successful: boolean;
  xhr: XMLHttpRequest;
}

interface OutOfBand {
  fragment: DocumentFragment;
  target: Element;
}

interface Swapped {
  target: Element;
  xhr: XMLHttpRequest;
}

interface ToSwap extends Swapped {
  requestConfig: { elt: Element };
  shouldSwap: boolean;
}

declare global {
  interface Window {
    documentationSections?: [string, string, string, string][];
  }

  const htmx: {
    ajax(method: string, address: string, place: Place): Promise<void>;
    process(element: Element): void;
    trigger(element: Element, event: string): void;
  };

  function SwaggerUIBundle(options: Record<string, unknown>): void;

  interface DocumentEventMap {
    arrived: Event;
    lit: CustomEvent<Lit | null>;
    pointed: CustomEvent<Pointed>;
    "htmx:afterRequest": CustomEvent<Answer>;
    "htmx:afterSettle": CustomEvent<Swapped>;
    "htmx:afterSwap": CustomEvent<Swapped>;
    "htmx:beforeSwap": CustomEvent<ToSwap>;
    "htmx:configRequest": CustomEvent<Request>;
    "htmx:oobAfterSwap": CustomEvent<OutOfBand>;
    "htmx:oobBeforeSwap": CustomEvent<OutOfBand>;
  }
}
