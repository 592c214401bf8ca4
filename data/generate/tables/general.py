"""Words that every domain of the sample shares (format: see `lexicon.parse`)."""

TEXT = """
[nouns]
problem = problema m ; A
reason = motivo m / razón f ; A
result = resultado m ; A
question = pregunta f ; A
change = cambio m ; A
answer = respuesta f ; A
decision = decisión f ; A
idea = idea f ; A
situation = situación f ; A
information = información f ; A mass
report = informe m ; A
risk = riesgo m ; A
proposal = propuesta f ; A
mistake = error m / equivocación f ; A
difference = diferencia f ; A
consequence = consecuencia f ; A
advice = consejo m ; A mass
effort = esfuerzo m ; A rare
doubt = duda f ; A rare
advantage = ventaja f ; A rare
hypothesis = hipótesis f ; A mass rare
dilemma = dilema m ; A rare
coincidence = casualidad f ; A rare
shortcoming = carencia f ; A rare
loophole = laguna f ; A rare
turning point = punto de inflexión m @0-2,1-0,0-1? ; A rare
rule of thumb = regla general f @0-0,1-1?,2-1 ; A mass rare

[verbs]
explain = explicar ; P > A
consider = considerar / tener en cuenta ; P > A
accept = aceptar ; P > A
understand = entender / comprender ; P > A ; state
discuss = comentar / discutir ; P > A
mention = mencionar ; P > A
know = conocer ; P > A ; state
review = revisar ; P > A
reject = rechazar ; P > A
send = enviar ; P > A
analyze = analizar ; P > A
point out = señalar ; P > A
deal with = abordar / ocuparse de ; P > A
find out = averiguar ; P > A
highlight = destacar / subrayar ; P > A ; rare
overlook = pasar por alto ; P > A ; rare
anticipate = prever ; P > A ; rare
justify = justificar ; P > A ; rare
ignore = ignorar ; P > A ; rare
exaggerate = exagerar ; P > A ; rare
summarize = resumir ; P > A ; rare

[intransitives]
change = cambiar ; A

[adjectives]
new = nuevo ; ADEFTHUCXWN ; pre attr
important = importante ; A
same = mismo ; ADFTUXW ; pre attr the
first = primero ; ADFTWE ; pre attr the
last = último ; ADFTWE ; pre attr the
only = único ; AWX ; pre attr the
good = bueno ; AW ; pre attr
big = grande ; A ; pre attr
clear = claro ; A
serious = grave / serio ; AX
difficult = difícil ; A
possible = posible ; AX ; pre attr
main = principal ; A ; attr
whole = entero / completo ; A ; attr rare
unusual = inusual / poco común ; A ; rare
subtle = sutil ; A ; rare
overwhelming = abrumador ; A ; rare
minor = menor ; A ; rare
alleged = supuesto ; A ; pre attr rare
predictable = previsible ; A ; rare
thorny = espinoso ; A ; rare
far-reaching = de gran alcance ; A ; rare attr

[manners]
immediately = inmediatamente / de inmediato
carefully = con cuidado / cuidadosamente
finally = finalmente / por fin
quickly = rápidamente / con rapidez
always = siempre
never = nunca ; never
often = a menudo / con frecuencia
usually = normalmente / por lo general
probably = probablemente
already = ya
also = también
still = todavía / aún
rarely = rara vez / raramente ; rare
reluctantly = a regañadientes ; rare
deliberately = deliberadamente ; rare

[times]
yesterday = ayer ; past
last year = el año pasado @0-2,1-1,1-0? ; past
last week = la semana pasada @0-2,1-1,1-0? ; past
two days ago = hace dos días @0-1,1-2,2-0 ; past
last month = el mes pasado @0-2,1-1,1-0? ; past
tomorrow = mañana ; future
next week = la próxima semana @0-1,1-2,1-0? / la semana que viene @0-2?,0-3,1-1,1-0? ; future
next month = el próximo mes @0-1,1-2,1-0? / el mes que viene @0-2?,0-3,1-1,1-0? ; future
every day = todos los días @0-0,0-1?,1-2 / cada día @0-0,1-1 ; present
in most cases = en la mayoría de los casos @0-0,1-2,1-1?,1-3?,2-5,2-4? ; present
today = hoy ; any
again = de nuevo / otra vez ; any
at the same time = al mismo tiempo @0-0,1-0,2-1,3-2 / a la vez @0-0,1-1,2-2?,3-2 ; any
as soon as possible = lo antes posible @0-0?,1-1,2-0?,3-2 / cuanto antes @0-0?,1-1,2-0,3-1? ; future
from time to time = de vez en cuando @0-0,1-1,2-2,3-3 ; present
sooner or later = tarde o temprano @0-2,1-1,2-0 ; future
overnight = de la noche a la mañana ; past rare
once in a while = de cuando en cuando @0-0?,0-1,1-2?,2-2?,3-3 ; present rare
on monday = el lunes @0-0,1-1 ; past
on tuesday = el martes @0-0,1-1 ; past
on wednesday = el miércoles @0-0,1-1 ; past
on thursday = el jueves @0-0,1-1 ; past
on friday = el viernes @0-0,1-1 ; past

[connectors]
however = sin embargo / no obstante
therefore = por lo tanto / por tanto
in addition = además
for example = por ejemplo @0-0,1-1
of course = por supuesto / desde luego
in fact = de hecho @0-0,1-1 / en realidad @0-0,1-1
in general = en general @0-0,1-1 / por lo general @0-0,0-1?,1-2
meanwhile = mientras tanto
unfortunately = por desgracia / desgraciadamente
on the other hand = por otra parte @0-0,1-1?,2-1,3-2 / por otro lado @0-0,1-1?,2-1,3-2
nevertheless = con todo / aun así ; rare
strangely enough = por extraño que parezca @0-1,0-3?,1-3?,0-0?,0-2? ; rare
"""
