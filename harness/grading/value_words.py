"""Words after a number that change its value: 12 dozen is not 12, and neither is 12 over five.

Words that are also units are left out, such as pairs, times, and cents and quarts (French numbers).
"""

import re

SCALES = """
dozen dozens score gross hundred hundreds thousand thousands million millions billion billions trillion
trillions quadrillion k mn bn tn mln mld mio mrd grand myriad lakh lakhs lac lacs crore crores arab hazar
dutzend hundert tausend hunderttausend millionen milliarde milliarden billionen
douzaine douzaines centaine centaines mille millier milliers milliard milliards
docena docenas ciento cientos mil millón millones millar millares billón
dúzia dúzias cento centos milhão milhões bilhão bilhões mila mille milione milioni miliardo miliardi dozzina
honderd duizend miljoen miljard dozijn hundra tusen miljon miljoner miljard dussin hundre tusind millioner
sto tysiąc tysiące tysięcy milion milionów tuzin yüz bin milyon milyar düzine ratus ribu juta miliar lusin
trăm nghìn ngàn triệu tỷ сто сотня сотни сотен тысяча тысячи тысяч тыс миллион миллиона миллионов млн миллиард
миллиарда миллиардов млрд дюжина дюжины дюжин ألف آلاف مئة مليون مليار दर्जन हज़ार हजार लाख करोड़ सौ
শত হাজার লাখ লক্ষ কোটি ডজন వందల వేలు వేల లక్ష లక్షలు కోటి కోట్లు డజను డజన్ల
"""

FRACTIONS = """
half halves third thirds quarter quarters fourth fourths fifth fifths sixth sixths seventh sevenths eighth
eighths ninth ninths tenth tenths twelfth twelfths hundredth hundredths thousandth thousandths permille bps
halb halbe halbes halben halber hälfte drittel viertel fünftel sechstel achtel zehntel hundertstel promille
demi demie demis moitié tiers dixième dixièmes centième millième
medio medios mitad tercio tercios cuarto cuartos quinto décimo meio meia metade terço quarto
mezzo mezza metà terzo quarti kwart helft derde halv halva pół połowa ćwierć yarım buçuk çeyrek setengah
пол половина половины половиной треть трети четверть четверти نصف ربع ثلث आधा
"""

OPERATIONS = """
or below minus plus divided multiplied squared cubed power root factorial modulo mod choose negative
doubled tripled quadrupled halved twice thrice zero i n x y z pi
und oder durch hoch mal geteilt quadrat null et ou sur puissance carré moins zéro y o entre menos cero bajo
elevado meno più diviso sotto abaixo gedeeld onder nul и или минус ноль нуля
"""

NUMBERS = """
two three four five six seven eight nine
ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty thirty forty fifty sixty seventy eighty ninety
zwei drei vier fünf sechs sieben acht neun zehn zwölf zwanzig dreißig
deux trois quatre cinq sept huit neuf dix onze douze treize quinze seize vingt trente
dos tres cuatro cinco seis siete ocho nueve diez doce
quince veinte treinta dois três quatro sete oito nove dez
tre quattro cinque sette otto dieci dodici venti два
три четыре пять шесть семь восемь девять десять двенадцать
"""

NUMBER_WORDS = frozenset(f"one eleven zero {NUMBERS} {SCALES} half".split()) - {
    "k",
    "score",
    "grand",
    "bin",
    "sto",
}
"""Words that may begin an answer without a digit: "twelve hundred"."""

LINKS = """
in on at for from with within during after since until as per each every by that which who while when because
für pro je auf mit von nach bei en dans par pour avec après con por para per fra voor met на в за по для
"""

SCALE_WORDS = frozenset(SCALES.split())
LINK_WORDS = frozenset(LINKS.split())
"""Words after one of these describe the unit: 24 pencils in three boxes are 24."""
VALUE_WORDS = frozenset(f"{SCALES} {FRACTIONS} {OPERATIONS} {NUMBERS}".split())
"""Words that change the number before them, up to a link word; after it only scales do: 24 in thousands."""
ARTICLES = frozenset({"a", "an", "one"})
"""After `and` they begin a part of the number, as in 6 and a half; 6 cups and plates are 6."""

UNSPACED_VALUES = re.compile("[半倍천백만억반]|สิบ|ร้อย|พัน|หมื่น|แสน|ล้าน|โหล|ครึ่ง")
"""Value words of scripts without spaces between words, besides Unicode's numeric characters."""

STATING = """
and or nor but is are was isn if unless when where for all any every each only except otherwise not no none
neither whenever such that which who
"""
STATING_WORDS = frozenset(STATING.split())
"""Words after a number that say more than its unit."""
