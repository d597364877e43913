// The first page says that it changes by itself.

import { byId } from "./elements.js";

byId("by-itself", HTMLElement).hidden = false;
