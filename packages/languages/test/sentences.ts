/** Two sentences in each language, written for these tests. */
export const sentences: Readonly<Record<string, readonly [string, string]>> = {
  arabic: [
    'ذهب الولد إلى المدرسة في الصباح مع أخته التي كانت تحمل كتابا عن البحر.',
    'هذا هو البيت الذي عاش فيه جدي قبل أن ينتقل إلى المدينة.',
  ],
  bulgarian: [
    'Котката спи на покрива, защото слънцето е топло и няма кой да я събуди.',
    'Това е книгата, за която ти говорих, когато бяхме на морето.',
  ],
  danish: [
    'Katten sover på taget, fordi solen er varm, og der er ikke nogen, som vækker den.',
    'Det er den bog, som jeg talte med dig om, da vi var ved havet.',
  ],
  dutch: [
    'De kat slaapt op het dak omdat de zon warm is en er niemand is die haar wakker maakt.',
    'Dit is het boek waar ik het met je over had toen we aan zee waren.',
  ],
  english: [
    'The cat sleeps on the roof because the sun is warm and there is nobody who wakes her.',
    'This is the book that I told you about when we were at the sea.',
  ],
  finnish: [
    'Kissa nukkuu katolla, koska aurinko on lämmin eikä kukaan ole siellä herättämässä sitä.',
    'Tämä on se kirja, josta minä puhuin sinulle, kun me olimme meren rannalla.',
  ],
  french: [
    'Le chat dort sur le toit parce que le soleil est chaud et que personne ne le réveille.',
    "C'est le livre dont je t'ai parlé quand nous étions au bord de la mer.",
  ],
  german: [
    'Die Katze schläft auf dem Dach, weil die Sonne warm ist und niemand sie weckt.',
    'Das ist das Buch, von dem ich dir erzählt habe, als wir am Meer waren.',
  ],
  greek: [
    'Η γάτα κοιμάται στη στέγη γιατί ο ήλιος είναι ζεστός και δεν την ξυπνάει κανείς.',
    'Αυτό είναι το βιβλίο για το οποίο σου μίλησα όταν ήμασταν στη θάλασσα.',
  ],
  hindi: [
    'बिल्ली छत पर सो रही है क्योंकि धूप गर्म है और उसे जगाने वाला कोई नहीं है।',
    'यह वही किताब है जिसके बारे में मैंने तुम से समुद्र के किनारे बात की थी।',
  ],
  hungarian: [
    'A macska a tetőn alszik, mert meleg a nap, és nincs ott senki, aki felébresztené.',
    'Ez az a könyv, amelyről akkor beszéltem neked, amikor a tengernél voltunk.',
  ],
  indonesian: [
    'Kucing itu tidur di atas atap karena matahari hangat dan tidak ada yang membangunkannya.',
    'Ini adalah buku yang saya ceritakan kepada kamu ketika kita berada di tepi laut.',
  ],
  italian: [
    'Il gatto dorme sul tetto perché il sole è caldo e non c’è nessuno che lo svegli.',
    'Questo è il libro di cui ti ho parlato quando eravamo al mare.',
  ],
  norwegian: [
    'Katten sover på taket fordi solen er varm, og det er ikke noen som vekker den.',
    'Dette er boken som jeg fortalte deg om da vi var ved sjøen.',
  ],
  portuguese: [
    'O gato dorme no telhado porque o sol está quente e não há ninguém que o acorde.',
    'Este é o livro de que eu te falei quando nós estávamos à beira do mar.',
  ],
  romanian: [
    'Pisica doarme pe acoperiș pentru că soarele este cald și nu este nimeni care să o trezească.',
    'Aceasta este cartea despre care ți-am vorbit când am fost la mare.',
  ],
  russian: [
    'Кошка спит на крыше, потому что солнце тёплое и её никто не будит.',
    'Это та книга, о которой я тебе говорил, когда мы были на море.',
  ],
  spanish: [
    'El gato duerme en el tejado porque el sol está caliente y no hay nadie que lo despierte.',
    'Este es el libro del que te hablé cuando estábamos en la orilla del mar.',
  ],
  swedish: [
    'Katten sover på taket eftersom solen är varm och det inte finns någon som väcker den.',
    'Det här är boken som jag berättade för dig om när vi var vid havet.',
  ],
  turkish: [
    'Kedi çatıda uyuyor çünkü güneş çok sıcak ve onu uyandıracak hiç kimse yok.',
    'Bu, deniz kıyısında olduğumuz zaman sana anlattığım kitap ve ben onu çok seviyorum.',
  ],
  ukrainian: [
    'Кішка спить на даху, тому що сонце тепле і її ніхто не будить.',
    'Це та книга, про яку я тобі говорив, коли ми були на морі.',
  ],
  vietnamese: [
    'Con mèo ngủ trên mái nhà vì nắng ấm và không có ai đánh thức nó.',
    'Đây là cuốn sách mà tôi đã kể cho bạn khi chúng ta ở bờ biển.',
  ],
  chinese: [
    '猫在屋顶上睡觉，因为阳光很暖和，没有人叫醒它。',
    '这就是我们在海边时我跟你说过的那本书。',
  ],
  hebrew: [
    'החתול ישן על הגג כי השמש חמה ואין מי שיעיר אותו.',
    'זה הספר שסיפרתי לך עליו כשהיינו ליד הים.',
  ],
  japanese: [
    '太陽が暖かくて起こす人もいないので、猫は屋根の上で眠っている。',
    'これは海にいたときに話した本です。',
  ],
  korean: [
    '햇볕이 따뜻하고 깨우는 사람이 없어서 고양이가 지붕 위에서 잔다.',
    '이것은 우리가 바다에 있을 때 내가 말한 책이다.',
  ],
  thai: ['แมวนอนอยู่บนหลังคาเพราะแดดอุ่นและไม่มีใครปลุกมัน', 'นี่คือหนังสือที่ฉันเล่าให้คุณฟังตอนที่เราอยู่ริมทะเล'],
}
