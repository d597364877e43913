/** What is used of the interface that browsers give to extensions. */
declare namespace chrome {
  interface Happening<Listener> {
    addListener(listener: Listener): void;
  }
  interface Tab {
    id?: number;
    url?: string;
  }
  interface Sender {
    tab?: Tab;
    frameId?: number;
  }
  interface Port {
    name: string;
    postMessage(message: unknown): void;
    disconnect(): void;
    onMessage: Happening<(message: unknown) => void>;
    onDisconnect: Happening<() => void>;
  }
  interface Hosts {
    origins: string[];
  }
  namespace runtime {
    const lastError: { message?: string } | undefined;
    const onConnect: Happening<(port: Port) => void>;
    const onMessage: Happening<
      (message: unknown, sender: Sender, answer: (value: unknown) => void) => void
    >;
    function sendMessage(message: unknown): Promise<unknown>;
  }
  namespace tabs {
    const onUpdated: Happening<(id: number) => void>;
    function connect(id: number, options: { name: string; frameId?: number }): Port;
    function create(options: { url: string }): Promise<Tab>;
    function get(id: number): Promise<Tab>;
  }
  namespace action {
    const onClicked: Happening<(tab: Tab) => void>;
  }
  namespace permissions {
    function contains(hosts: Hosts): Promise<boolean>;
    function request(hosts: Hosts): Promise<boolean>;
    function remove(hosts: Hosts): Promise<boolean>;
  }
  namespace scripting {
    function executeScript(options: object): Promise<unknown>;
    function getRegisteredContentScripts(): Promise<object[]>;
    function registerContentScripts(scripts: object[]): Promise<void>;
    function unregisterContentScripts(): Promise<void>;
  }
  namespace storage {
    const local: {
      get(defaults: object): Promise<object>;
      set(values: object): Promise<void>;
      setAccessLevel?(options: { accessLevel: string }): Promise<void>;
    };
  }
  /** Of pages that DevTools shows alone. */
  const devtools:
    | {
        inspectedWindow: {
          tabId: number;
          eval(script: string, answer: (value: unknown) => void): void;
        };
        panels: { themeName: string; create(title: string, icon: string, page: string): void };
      }
    | undefined;
}
