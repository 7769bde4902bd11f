/// The commonest words of a language, which tell little about a text: searches can leave them out (``WordRules``).
///
/// They are left out of texts and of searches, so "the art of war" finds what "art war" finds. The lists are small, and
/// compared without case and accents.
public enum StopWords: String, Sendable, Hashable, Codable, CaseIterable {
    case english, german, french, spanish, italian, portuguese, dutch, swedish

    /// The version of the lists, which is a part of the form of an index.
    package static let version = 1

    /// The words of the list, in lower case.
    public var words: [String] { text.split(whereSeparator: \.isWhitespace).map { String($0) } }

    private static let folded: [StopWords: Set<[UInt8]>] = Dictionary(
        uniqueKeysWithValues: allCases.map { language in
            (language, Set(language.words.map { WordReader.folded($0) }))
        })

    /// The words in the form in which words are searched.
    var folded: Set<[UInt8]> { StopWords.folded[self] ?? [] }

    private var text: String {
        switch self {
        case .english:
            """
            a about after all also am an and any are as at be because been before being but by can could did do
            does doing don't for from had has have having he her here him his how i if in into is it its it's just
            me more most my no not of on or other our out over she should so some such than that the their them
            then there these they this those to too up us very was we were what when where which while who why
            will with would you your
            """
        case .german:
            """
            ab aber alle als also am an auch auf aus bei bin bis bist da dann das dass dem den der des die dies
            diese diesem diesen dieser dieses doch du durch ein eine einem einen einer eines er es euch für hat
            hatte hatten ich ihm ihn ihnen ihr ihre im in ist ja jede jeder jedes kann kein keine können mein
            meine mich mir mit nach nicht noch nun nur ob oder ohne sehr sein seine sich sie sind so über um und
            uns unser unter vom von vor war waren was weil wenn werden wie wir wird wurde wurden zu zum zur
            zwischen
            """
        case .french:
            """
            à ai alors au aussi aux avec avait avez avons c'est ce ces cet cette dans de des du elle elles en est et eu été être il
            ils j'ai je la le les leur leurs lui ma mais me même mes moi mon n'est ne nos notre nous on ont ou où
            par pas plus pour qu'il que qui sa sans se ses si son sont sous sur ta te tes toi ton très tu un une
            vos votre vous y
            """
        case .spanish:
            """
            a al algo ante antes aquí así aún como con contra cual cuando de del desde donde dos e el él ella
            ellas ellos en entre era eran es esa esas ese eso esos esta está estaba están estas este esto estos
            fue fueron ha había han hasta hay la las le les lo los más me mi mí mis muy ni no nos nosotros o os
            otra otro para pero por porque que qué quien se ser si sí sin sobre son su sus también tan te tiene tu
            tú un una uno unos y ya yo
            """
        case .italian:
            """
            a ad ai al alla alle allo anche c'è che chi ci come con cui da dai dal dalla dalle dei del della delle
            dello di dove e è ed era erano essere gli ha hanno ho i il in io l'ha la le lei li lo loro lui ma me
            mi mia mio ne nei nel nella nelle noi non nostra nostro o per perché più quale quando quella quelle
            quello questa queste questo qui se sei si sia sono su sua sue sui sul sulla suo suoi te ti tra tu tua
            tuo tutti tutto un una uno vi voi
            """
        case .portuguese:
            """
            a à ao aos as às até com como da das de dela dele deles do dos e é ela elas ele eles em entre era eram
            essa esse esta está estão este eu foi foram há isso isto já lhe lhes mais mas me mesmo meu meus minha
            muito na não nas nem no nos nós nossa nosso num numa o os ou para pela pelas pelo pelos por qual
            quando que quem são se sem ser será seu seus só sua suas também te tem têm teu tu tua um uma você
            vocês
            """
        case .dutch:
            """
            aan al alles als altijd ben bij daar dan dat de der deze die dit doch door dus een en er geen had
            hadden haar heb hebben heeft hem het hier hij hoe hun ik in is ja je kan kon maar me meer men met mij
            mijn na naar niet niets nog nu of om omdat ons onze ook op over reeds te tegen toch toen tot u uit uw
            van veel voor want waren was wat we wel werd wie wij worden wordt ze zei zich zij zijn zo zou
            """
        case .swedish:
            """
            alla allt att av blev bli blir bara då de dem den denna deras dess dessa det detta dig din dina du där
            efter ej eller en er ett från för ha hade han hans har henne hennes hon honom hur här i icke inte
            ingen inom jag ju kan kunde man med mellan men mig min mina mot mycket ni nu när någon något några och
            om oss på sedan sig sin sina skulle som så till under upp ut vad var vara varför varit vi vid vilka
            vilken vill är
            """
        }
    }
}

extension StopWords {
    /// - Throws: `newerFormat` for a language that this version does not know.
    public init(from decoder: any Decoder) throws {
        let name = try decoder.singleValueContainer().decode(String.self)
        guard let language = StopWords(rawValue: name) else {
            throw GranaryError(
                .newerFormat,
                "The schema leaves out the stop words \"\(name)\", which this version of Granary does not know. Use a newer version."
            )
        }
        self = language
    }
}
