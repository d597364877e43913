"""Texts of many scripts and of code, with what each is found by and what it is not found by."""

from typing import NamedTuple


class Entry(NamedTuple):
    text: str
    finds: tuple[str, ...]
    """Searched in any order: words whole, parts of them, other spellings."""
    phrases: tuple[str, ...]
    misses: tuple[str, ...] = ()
    """Neither as words nor as a phrase."""


CATALOGUE = (
    # English, accents, other letters of Europe
    Entry("The weather in Paris is mild today.", ("paris", "WEATHER today", "mil*"), ("weather in paris", "Mild Today"), ("pari", "weathers", "Rome")),
    Entry("Don't panic: it's 42!", ("don't", "panic 42", "42"), ("don't panic", "it’s 42"), ("dont", "4")),
    Entry("Crème brûlée à la carte", ("creme", "BRULEE", "brûlée"), ("creme brulee", "à la carte"), ("crem", "brulees")),
    Entry("Größe und Straße in Köln", ("grosse", "STRASSE", "koln", "Straße"), ("und strasse", "in Köln"), ("gross",)),
    Entry("Zażółć gęślą jaźń", ("zazolc", "GĘŚLĄ", "jazn"), ("zażółć gęślą",), ("gesl",)),
    Entry("Đường phố Hà Nội rất đẹp", ("duong", "hà nội", "ĐẸP"), ("ha noi", "phố hà nội"), ("hanoi",)),
    Entry("İstanbul'da ılık bir gün", ("istanbul", "ILIK", "gun"), ("bir gün",), ("istanbulda",)),
    Entry("Smørrebrød på Østerbro", ("smorrebrod", "østerbro", "pa"), ("pa osterbro",), ("smor",)),
    Entry("El niño comió piñas", ("nino", "PIÑAS", "comio"), ("niño comió",), ("pina",)),
    Entry("e\u0301clair decomposed", ("éclair", "ECLAIR"), ("eclair decomposed",), ("clair",)),
    Entry("ﬁne ﬂour ﬀ", ("fine", "FLOUR"), ("fine flour",), ("ne",)),
    Entry("ＦＵＬＬ　ｗｉｄｔｈ １２３", ("full", "width", "123"), ("full width 123",), ("12",)),
    Entry("Ελλάδος και ΕΛΛΆΔΑ", ("ελλαδοσ", "ΕΛΛΆΔΟΣ", "ελλαδα"), ("και ελλάδα",), ("ελλ",)),
    Entry("Ёлка и ёжик", ("елка", "ЁЖИК"), ("елка и ежик",), ("ел",)),
    Entry("Київ — столиця України", ("київ", "УКРАЇНИ", "столиця"), ("столиця україни",), ("україн",)),
    Entry("Հայաստան և Երևան", ("ՀԱՅԱՍՏԱՆ", "երևան"), ("հայաստան և",), ("հայ",)),
    Entry("საქართველო თბილისი", ("თბილისი",), ("საქართველო თბილისი",), ("თბილ",)),
    # Arabic, Hebrew, Persian, Urdu
    Entry("مُحَمَّدٌ يَكْتُبُ الرِّسَالَة", ("محمد", "يكتب", "مُحَمَّد*"), ("محمد يكتب",), ("كتب",)),
    Entry("الطقس اليوم في القاهرة", ("القاهره", "الطقس"), ("اليوم في القاهرة",), ("قاهرة",)),
    Entry("أحمد إبراهيم آل سعود", ("احمد", "ابراهيم"), ("ال سعود",), ("احمدي",)),
    Entry("الرقم ١٢٣٤٥ والسعر ٩٩", ("12345", "٩٩", "99"), ("الرقم 12345",), ("123",)),
    Entry("شָלוֹם שָׁלוֹם עוֹלָם", ("שלום", "עולם"), ("שלום עולם",), ("שלו",)),
    Entry("בירושלים יש הרבה אנשים", ("בירושלים", "אנשים"), ("יש הרבה",), ("ירושלים",)),
    Entry("می‌خواهم کتاب بخوانم", ("میخواهم", "كتاب", "می‌خواهم"), ("کتاب بخوانم",), ("خواهم",)),
    Entry("آج موسم اچھا ہے", ("موسم", "اج"), ("موسم اچھا",), ("مو",)),
    # Indic scripts, Amharic
    Entry("आज का मौसम अच्छा है", ("मौसम", "अच्छा"), ("का मौसम",), ("मौस", "अच्छ")),
    Entry("আজকের আবহাওয়া ভালো", ("আবহাওয়া", "ভালো"), ("আবহাওয়া ভালো",), ("ভাল",)),
    Entry("இன்று வானிலை நன்றாக உள்ளது", ("வானிலை",), ("வானிலை நன்றாக",), ("வானி",)),
    Entry("ఈ రోజు వాతావరణం బాగుంది", ("వాతావరణం",), ("ఈ రోజు",), ("వాతావరణ",)),
    Entry("አዲስ አበባ ኢትዮጵያ", ("አበባ",), ("አዲስ አበባ",), ("አበ",)),
    # Chinese, Japanese, Korean
    Entry("今天北京的天气很好。", ("天气", "北京的天气", "天", "好", "很好"), ("今天北京", "天气很好"), ("上海", "气天", "天很")),
    Entry("请问，订单号是多少？", ("订单", "请问", "多少"), ("请问，订单号",), ("单订", "请问订单号")),
    Entry("使用getUserName方法查询", ("getUserName", "方法", "get_user_name", "使用"), ("使用getUserName方法", "方法查询"), ("方查",)),
    Entry("臺灣的繁體字測試", ("繁體", "臺灣", "字"), ("的繁體字",), ("台湾",)),
    Entry("𠮷野家で食べる", ("𠮷野家", "𠮷", "食べる"), ("𠮷野家で",), ("吉野家",)),
    Entry("東京都の天気予報です", ("天気", "東京", "京都", "予報"), ("天気予報", "東京都の天気"), ("大阪", "報予")),
    Entry("ガンダムとﾊﾟﾝダを見た", ("ガンダム", "パンダ", "ﾊﾟﾝﾀﾞ", "ﾝﾀﾞ"), ("ガンダムとパンダ",), ("バンダ", "カンダム")),
    Entry("ひらがな カタカナ 漢字", ("カタ", "らが", "漢字"), ("ひらがな カタカナ", "カタカナ 漢字"), ("なカ",)),
    Entry("오늘 서울의 날씨가 좋습니다", ("날씨", "서울", "좋습니다", "울의"), ("서울의 날씨가", "오늘 서울"), ("부산",)),
    Entry("\u1112\u1161\u11ab\u1100\u1173\u11af decomposed", ("한글", "한"), ("한글 decomposed",), ("학글",)),
    # Thai, Lao, Khmer, Burmese
    Entry("วันนี้อากาศดีมาก", ("อากาศ", "วันนี้", "ดีมาก"), ("วันนี้อากาศดี",), ("ฝนตก",)),
    Entry("ดื่มน้ำเย็น ราคา ๒๕๐ บาท", ("น้ำ", "250", "บาท", "๒๕๐"), ("ราคา 250 บาท",), ("25",)),
    Entry("ສະບາຍດີປະເທດລາວ", ("ປະເທດ", "ລາວ"), ("ສະບາຍດີ",), ("ໄທ",)),
    Entry("ខ្ញុំស្រឡាញ់ភាសាខ្មែរ", ("ភាសា", "ខ្មែរ"), ("ភាសាខ្មែរ",), ("ថៃ",)),
    Entry("မြန်မာစာကို ဖတ်သည်", ("မြန်မာ", "ဖတ်သည်"), ("မြန်မာစာကို ဖတ်",), ("ထိုင်း",)),
    # Code and identifiers
    Entry("call getUserName(id) first", ("getUserName", "getusername", "GETUSERNAME", "get_user_name", "user", "getUser", "getUserName()", "get*"), ("call getUserName", "get user name", "getusername id first"), ("serName", "usern")),
    Entry("rename get_user_name to fetch", ("get_user_name", "getUserName", "getusername", "user", "name"), ("get_user_name to fetch", "rename get"), ("get_user_nam", "usern")),
    Entry("obj.user.name = None", ("user.name", "obj.user", "name"), ("user name", "user.name = none"), ("user.nam",)),
    Entry("POST v1/chat-completions returned", ("v1/chat-completions", "chat", "completions", "/v1/chat"), ("v1/chat-completions returned", "chat completions"), ("completion",)),
    Entry("id 550e8400-e29b-41d4-a716-446655440000 ok", ("550e8400-e29b-41d4-a716-446655440000", "550E8400", "41d4-a716", "4466*", "446655440000", "446655*"), ("id 550e8400-e29b-41d4-a716-446655440000 ok",), ("550e840", "e29b-a716")),
    Entry("Order #ORD-2024-00123, invoice 4711/08", ("ORD-2024-00123", "00123", "#ORD-2024", "4711", "ord-2024-00*"), ("order ord-2024-00123", "invoice 4711/08"), ("0012", "123")),
    Entry("HTTPServer and XMLHttpRequest", ("httpserver", "HTTP", "server", "request", "xml_http_request"), ("httpserver and", "http request", "xml http request"), ("httprequest", "erver")),
    Entry("MAX_RETRY_COUNT=3; maxRetryCount", ("max_retry_count", "maxretrycount", "RETRY", "count=3"), ("max retry count 3",), ("retryc",)),
    Entry("const fooBar2Baz = parseJSONData('x')", ("foobar2baz", "json", "parse_json_data", "fooBar2Baz"), ("const fooBar2Baz", "parse json data"), ("bar2b",)),
    Entry("pip install psycopg[binary]>=3.3,<4", ("psycopg", "psycopg[binary]", "3.3"), ("pip install psycopg", "binary 3.3"), ("psyco",)),
    Entry("C:\\Users\\Ada\\main.py:12", ("main.py", "main.py:12", "users\\ada"), ("ada main.py",), ("main.pyc",)),
    Entry("mail to ada.lovelace+x@example.org", ("ada.lovelace+x@example.org", "lovelace", "@example.org"), ("mail to ada",), ("love",)),
    Entry("model gpt-4o-mini-2024-07-18", ("gpt-4o-mini", "gpt-4o-mini-2024-07-18", "4o", "gpt-4*"), ("gpt 4o mini",), ("gpt-4", "gpt-4-mini")),
    Entry("sha 9f86d081884c7d659a2feaa0c55ad015 end", ("9F86D081884C7D659A2FEAA0C55AD015", "9f86d*"), ("sha 9f86d081884c7d659a2feaa0c55ad015",), ("9f86d081",)),
    Entry("snake__double and _private_ name_", ("snake__double", "_private_", "private", "snakedouble"), ("and private name",), ("priv",)),
    Entry("a" * 70 + " long", ("a" * 70, "a" * 64, "aaaa*"), ("a" * 70 + " long",), ("aaaa",)),
    Entry("½ cup, №5, x² and ① done", ("1", "cup", "done"), ("and 1 done",), ("2",)),
    Entry("smile 😀 and 👩‍👩‍👧 family", ("smile", "family"), ("smile and family",), ("😀",)),
)  # fmt: skip
"""No text here holds what another is found by and does not say itself."""
