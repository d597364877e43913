from _response_inspector_inspect import main

main()
